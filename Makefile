# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Entry points only: what they do is written in the scripts they call.

KDIR ?= /lib/modules/$(shell uname -r)/build
MODULE = $(MAKE) -C $(KDIR) M=$(CURDIR)

.PHONY: modules
modules:
	$(MODULE) modules

.PHONY: install modules_install
install modules_install:
	$(MODULE) modules_install
	PATH=$$PATH:/usr/sbin:/sbin depmod $(addprefix -b ,$(INSTALL_MOD_PATH)) \
		$$($(MAKE) -s -C $(KDIR) kernelrelease)

.PHONY: demo
demo:
	lab/setup
	lab/demo

.PHONY: check
check:
	lab/setup
	lab/check

.PHONY: soak
soak:
	lab/setup
	lab/check --soak

.PHONY: coverage
coverage:
	lab/setup
	lab/coverage

.PHONY: kunit
kunit:
	lab/setup
	kunit/run

.PHONY: proof
proof:
	lab/setup
	proof/run
	lab/enter -- proof/spin/run

.PHONY: proof-mutants
proof-mutants:
	lab/setup
	lab/enter -- proof/spin/run --mutants
	proof/mutants

.PHONY: bench
bench:
	lab/setup
	bench/run

# SYSTEM: lab (Debian 13, the default), bookworm, trixie or sid
.PHONY: deb
deb:
	lab/setup
	packages/deb $(SYSTEM)

.PHONY: image
image:
	lab/setup
	image/build

.PHONY: lint
lint:
	lab/setup
	scripts/lint

.PHONY: clean
clean:
	rm -rf build
	[ ! -d $(KDIR) ] || $(MODULE) clean

.PHONY: help
help:
	@echo 'On a host whose kernel shall have the driver:'
	@echo '  make                  build xrdma.ko (KDIR=... for another kernel)'
	@echo '  make modules_install  install it and run depmod, as root'
	@echo '                        (INSTALL_MOD_PATH=DIR for another root)'
	@echo '  make install          the same'
	@echo 'Anywhere, as root, with a device that is a process in a guest:'
	@echo '  make demo             boot a machine with the NIC and show it at work'
	@echo '  make check            the tests that each change has to pass'
	@echo '  make soak             the others, for hours'
	@echo '  make coverage         which lines of the driver the tests reach'
	@echo '  make kunit            only the KUnit suites'
	@echo '  make lint             only the static checks'
	@echo '  make deb              Debian packages (SYSTEM=sid for another release)'
	@echo '  make image            an OCI image with machines that have the NIC'
	@echo '  make proof            theorems and models of handshakes, by CBMC and Spin'
	@echo '  make bench            figures, beside soft-RoCE (bench/run --help)'
	@echo '  make clean            remove what was built here'
	@echo 'The last group needs Debian packages, which it installs by apt, and keeps'
	@echo 'a root image in $${XRDMA_CACHE:-/var/cache/xrdma}. lab/vm --help: machines'
	@echo 'of your own.'
