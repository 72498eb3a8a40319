#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Sends and receives by the uplink. host_uplink.py starts the guest, and has made the
# address 192.168.77.2.

ping -c 3 -i 0.2 192.168.77.2
ping -c 3 -i 0.2 fd00:77::2
ping -c 2 -i 0.2 -M 'do' -s 4472 192.168.77.2
# nobody answers with this tag: host_uplink.py looks for the ARP request
ip link add link "$XRDMA_NETDEV" name vlan7 type vlan id 7
ip address add 192.168.79.1/24 dev vlan7
ip link set vlan7 up
! ping -c 1 -W 1 192.168.79.2
iperf3 -n 2M -c 192.168.77.2
iperf3 -n 8M -R -c 192.168.77.2
iperf3 -n 4M -R -6 -c fd00:77::2
