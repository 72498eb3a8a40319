// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tests of configuration space: identity, BARs, capabilities, writes. */
#include <errno.h>
#include <linux/pci_regs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host/pci.h"

#define VECTORS	8

/* power states, as PCI_PM_CTRL codes them */
#define D0	0
#define D1	1
#define D2	2
#define D3HOT	3

struct fixture {
	struct model_pci pci;
	unsigned int changes;
	unsigned int resets;
	bool quiet_at_reset;
};

static void on_changed(void *opaque)
{
	struct fixture *f = opaque;

	f->changes++;
}

static void on_reset(void *opaque)
{
	struct fixture *f = opaque;

	f->resets++;
	f->quiet_at_reset = !model_pci_bus_master(&f->pci) &&
			    !model_pci_msix_enabled(&f->pci);
}

static const struct model_pci_events events = {
	.changed = on_changed,
	.reset = on_reset,
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	model_pci_init(&f->pci, VECTORS, &events, f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static u32 get(struct fixture *f, unsigned int offset, size_t len)
{
	u32 value = 0;

	assert_int_equal(model_pci_read(&f->pci, offset, &value, len), 0);
	return value;
}

static void put(struct fixture *f, unsigned int offset, u32 value, size_t len)
{
	assert_int_equal(model_pci_write(&f->pci, offset, &value, len), 0);
}

static unsigned int capability(struct fixture *f, u8 id)
{
	unsigned int offset = get(f, PCI_CAPABILITY_LIST, 1);

	while (offset && get(f, offset, 1) != id)
		offset = get(f, offset + PCI_CAP_LIST_NEXT, 1);
	return offset;
}

static void identity_is_as_specified(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(get(f, PCI_VENDOR_ID, 2), 0x1af4);
	assert_int_equal(get(f, PCI_DEVICE_ID, 2), 0x10f0);
	assert_int_equal(get(f, PCI_CLASS_REVISION, 4), 0x02000001);
	assert_int_equal(get(f, PCI_HEADER_TYPE, 1), 0);
	assert_int_equal(get(f, PCI_INTERRUPT_PIN, 1), 0);
	assert_true(get(f, PCI_STATUS, 2) & PCI_STATUS_CAP_LIST);
}

static void bars_tell_their_size(void **state)
{
	static const struct { u64 size; } expected[6] = {
		[0] = { 64 << 10 }, [2] = { 16 << 20 },
	};
	struct fixture *f = *state;
	unsigned int i;

	for (i = 0; i < 4; i += 2) {
		unsigned int offset = PCI_BASE_ADDRESS_0 + 4 * i;
		u64 value;

		put(f, offset, ~0, 4);
		put(f, offset + 4, ~0, 4);
		value = get(f, offset, 4) | (u64)get(f, offset + 4, 4) << 32;
		assert_int_equal(value & 0xf, PCI_BASE_ADDRESS_MEM_TYPE_64);
		assert_true(~(value & ~0xfULL) + 1 == expected[i].size);
		assert_int_equal(model_pci_bar_size(&f->pci, i), expected[i].size);
	}
	assert_int_equal(model_pci_bar_size(&f->pci, 1), 0);
	assert_int_equal(model_pci_bar_size(&f->pci, 4), 0);
	assert_int_equal(model_pci_bar_size(&f->pci, 6), 0);
	assert_int_equal(get(f, PCI_ROM_ADDRESS, 4), 0);
}

static void memory_is_prefetchable(void **state)
{
	struct fixture *f = *state;

	model_pci_add_memory(&f->pci, 4, 8 << 20);
	assert_int_equal(get(f, PCI_BASE_ADDRESS_4, 4), 0xc);
	put(f, PCI_BASE_ADDRESS_4, ~0, 4);
	put(f, PCI_BASE_ADDRESS_5, ~0, 4);
	assert_int_equal(get(f, PCI_BASE_ADDRESS_4, 4), 0xff80000c);
	assert_int_equal(get(f, PCI_BASE_ADDRESS_5, 4), 0xffffffff);
	assert_int_equal(model_pci_bar_size(&f->pci, 4), 8 << 20);
}

static void bar_keeps_an_address(void **state)
{
	struct fixture *f = *state;

	put(f, PCI_BASE_ADDRESS_2, 0xfe123456, 4);
	put(f, PCI_BASE_ADDRESS_3, 0x00000012, 4);
	assert_int_equal(get(f, PCI_BASE_ADDRESS_2, 4), 0xfe000004);
	assert_int_equal(get(f, PCI_BASE_ADDRESS_3, 4), 0x12);
}

static void capability_list_is_complete_and_ends(void **state)
{
	struct fixture *f = *state;
	unsigned int offset = get(f, PCI_CAPABILITY_LIST, 1), n = 0;

	for (; offset; offset = get(f, offset + PCI_CAP_LIST_NEXT, 1)) {
		assert_in_range(offset, PCI_STD_HEADER_SIZEOF, 0xfc);
		assert_int_equal(offset % 4, 0);
		n++;
		assert_true(n < 10);
	}
	assert_int_equal(n, 3);
	assert_true(capability(f, PCI_CAP_ID_PM));
	assert_true(capability(f, PCI_CAP_ID_MSIX));
	assert_true(capability(f, PCI_CAP_ID_EXP));
}

static void msix_is_behind_the_registers(void **state)
{
	struct fixture *f = *state;
	unsigned int cap = capability(f, PCI_CAP_ID_MSIX);

	assert_int_equal(get(f, cap + PCI_MSIX_FLAGS, 2), VECTORS - 1);
	assert_int_equal(get(f, cap + PCI_MSIX_TABLE, 4), 0x8000);
	assert_int_equal(get(f, cap + PCI_MSIX_PBA, 4), 0x9000);
	assert_int_equal(model_pci_msix_vectors(&f->pci), VECTORS);
}

static void express_is_an_endpoint_with_flr(void **state)
{
	struct fixture *f = *state;
	unsigned int cap = capability(f, PCI_CAP_ID_EXP);

	assert_int_equal(get(f, cap + PCI_EXP_FLAGS, 2), 2);
	assert_true(get(f, cap + PCI_EXP_DEVCAP, 4) & PCI_EXP_DEVCAP_FLR);
	assert_int_equal(get(f, 0x100, 4), 0);
}

static void read_only_bits_stay(void **state)
{
	struct fixture *f = *state;
	unsigned int cap = capability(f, PCI_CAP_ID_MSIX);

	put(f, PCI_VENDOR_ID, ~0, 4);
	put(f, PCI_CLASS_REVISION, ~0, 4);
	put(f, cap, ~0, 2);
	put(f, cap + PCI_MSIX_FLAGS, 0xffff, 2);
	put(f, cap + PCI_MSIX_TABLE, ~0, 4);
	put(f, 0x800, ~0, 4);
	identity_is_as_specified(state);
	assert_int_equal(get(f, cap + PCI_MSIX_FLAGS, 2),
			 0xc000 | (VECTORS - 1));
	assert_int_equal(get(f, cap + PCI_MSIX_TABLE, 4), 0x8000);
	assert_int_equal(get(f, 0x800, 4), 0);
}

static void command_bits_are_honoured(void **state)
{
	struct fixture *f = *state;

	assert_false(model_pci_memory_enabled(&f->pci));
	assert_false(model_pci_bus_master(&f->pci));
	put(f, PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	assert_true(model_pci_memory_enabled(&f->pci));
	assert_false(model_pci_bus_master(&f->pci));
	put(f, PCI_COMMAND, PCI_COMMAND_MASTER, 1);
	assert_false(model_pci_memory_enabled(&f->pci));
	assert_true(model_pci_bus_master(&f->pci));
	assert_int_equal(f->changes, 2);
	put(f, PCI_COMMAND, 0xffff, 2);
	assert_int_equal(get(f, PCI_COMMAND, 2) & PCI_COMMAND_IO, 0);
}

static void d3hot_silences_the_function(void **state)
{
	struct fixture *f = *state;
	unsigned int cap = capability(f, PCI_CAP_ID_PM);

	put(f, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	put(f, cap + PCI_PM_CTRL, D3HOT, 2);
	assert_false(model_pci_memory_enabled(&f->pci));
	assert_false(model_pci_bus_master(&f->pci));
	/* No_Soft_Reset: the function keeps its state */
	assert_true(get(f, cap + PCI_PM_CTRL, 2) & PCI_PM_CTRL_NO_SOFT_RESET);
	put(f, cap + PCI_PM_CTRL, D0, 2);
	assert_true(model_pci_memory_enabled(&f->pci));
	assert_true(model_pci_bus_master(&f->pci));
	assert_int_equal(f->resets, 0);
}

static void unsupported_power_states_are_ignored(void **state)
{
	struct fixture *f = *state;
	unsigned int cap = capability(f, PCI_CAP_ID_PM);

	put(f, cap + PCI_PM_CTRL, D1, 2);
	assert_int_equal(get(f, cap + PCI_PM_CTRL, 1) & 3, D0);
	put(f, cap + PCI_PM_CTRL, D3HOT, 2);
	put(f, cap + PCI_PM_CTRL, D2, 2);
	assert_int_equal(get(f, cap + PCI_PM_CTRL, 1) & 3, D3HOT);
}

static void msix_bits_are_reported(void **state)
{
	struct fixture *f = *state;
	unsigned int flags = capability(f, PCI_CAP_ID_MSIX) + PCI_MSIX_FLAGS;

	assert_false(model_pci_msix_enabled(&f->pci));
	put(f, flags, PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL, 2);
	assert_true(model_pci_msix_enabled(&f->pci));
	assert_true(model_pci_msix_masked(&f->pci));
	put(f, flags + 1, PCI_MSIX_FLAGS_ENABLE >> 8, 1);
	assert_true(model_pci_msix_enabled(&f->pci));
	assert_false(model_pci_msix_masked(&f->pci));
}

static void pending_stays_until_it_is_cleared(void **state)
{
	struct fixture *f = *state;
	unsigned int at = capability(f, PCI_CAP_ID_EXP) + PCI_EXP_DEVSTA;

	model_pci_set_pending(&f->pci, true);
	put(f, at, 0xffff, 2);
	assert_int_equal(get(f, at, 2), PCI_EXP_DEVSTA_TRPND);
	model_pci_reset(&f->pci);
	assert_int_equal(get(f, at, 2), PCI_EXP_DEVSTA_TRPND);
	model_pci_set_pending(&f->pci, false);
	assert_int_equal(get(f, at, 2), 0);
}

static void enable_all(struct fixture *f)
{
	put(f, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	put(f, PCI_BASE_ADDRESS_0, 0xfe000000, 4);
	put(f, capability(f, PCI_CAP_ID_MSIX) + PCI_MSIX_FLAGS,
	    PCI_MSIX_FLAGS_ENABLE, 2);
}

static void flr_resets_the_function(void **state)
{
	struct fixture *f = *state;
	unsigned int devctl = capability(f, PCI_CAP_ID_EXP) + PCI_EXP_DEVCTL;
	u16 before = get(f, devctl, 2);

	enable_all(f);
	put(f, devctl, before | PCI_EXP_DEVCTL_BCR_FLR, 2);
	assert_int_equal(f->resets, 1);
	assert_true(f->quiet_at_reset);
	assert_int_equal(get(f, PCI_COMMAND, 2), 0);
	assert_int_equal(get(f, PCI_BASE_ADDRESS_0, 4), 4);
	assert_int_equal(get(f, devctl, 2), before);
	/* a write of the other byte starts no reset */
	put(f, devctl, 0xff, 1);
	assert_int_equal(f->resets, 1);
	put(f, devctl + 1, PCI_EXP_DEVCTL_BCR_FLR >> 8, 1);
	assert_int_equal(f->resets, 2);
}

static void reset_restores_everything(void **state)
{
	struct fixture *f = *state;
	struct model_pci *fresh = calloc(1, sizeof(*fresh));
	unsigned int i;

	model_pci_init(fresh, VECTORS, NULL, NULL);
	for (i = 0; i < MODEL_PCI_CONFIG_SIZE; i += 4)
		if (i != capability(f, PCI_CAP_ID_EXP) + PCI_EXP_DEVCTL)
			put(f, i, ~0, 4);
	assert_memory_not_equal(f->pci.config, fresh->config,
				MODEL_PCI_CONFIG_SIZE);
	model_pci_reset(&f->pci);
	assert_memory_equal(f->pci.config, fresh->config,
			    MODEL_PCI_CONFIG_SIZE);
	assert_int_equal(f->resets, 0);
	free(fresh);
}

static void access_outside_is_refused(void **state)
{
	struct fixture *f = *state;
	u8 buf[8] = { 0 };

	assert_int_equal(model_pci_read(&f->pci, 4096, buf, 1), -EINVAL);
	assert_int_equal(model_pci_read(&f->pci, 4093, buf, 4), -EINVAL);
	assert_int_equal(model_pci_read(&f->pci, UINT64_MAX, buf, 4), -EINVAL);
	assert_int_equal(model_pci_write(&f->pci, 4095, buf, 2), -EINVAL);
	assert_int_equal(model_pci_read(&f->pci, 4092, buf, 4), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(identity_is_as_specified),
		TEST(bars_tell_their_size),
		TEST(memory_is_prefetchable),
		TEST(bar_keeps_an_address),
		TEST(capability_list_is_complete_and_ends),
		TEST(msix_is_behind_the_registers),
		TEST(express_is_an_endpoint_with_flr),
		TEST(read_only_bits_stay),
		TEST(command_bits_are_honoured),
		TEST(d3hot_silences_the_function),
		TEST(unsupported_power_states_are_ignored),
		TEST(msix_bits_are_reported),
		TEST(pending_stays_until_it_is_cleared),
		TEST(flr_resets_the_function),
		TEST(reset_restores_everything),
		TEST(access_outside_is_refused),
	};

	return cmocka_run_group_tests_name("pci", tests, NULL, NULL);
}
