/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Markers for the beginning and the end of an interval: long NOPs with a
 * displacement that no compiler emits. counter.c looks for them in the guest's
 * code; without that plugin they have no effect.
 */
#ifndef BENCH_MARKER_H
#define BENCH_MARKER_H

#define MARKER_SIZE		7
#define MARKER_DISP_BEGIN	0x58424730	/* "0GBX" */
#define MARKER_DISP_END		0x58424731

#define MARKER_STR_(x)		#x
#define MARKER_STR(x)		MARKER_STR_(x)

/* nopl DISP(%rax) */
#define MARKER(disp) ({							\
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80\n\t"			\
			 ".long " MARKER_STR(disp) ::: "memory");	\
})

static inline void interval_begin(void)
{
	MARKER(MARKER_DISP_BEGIN);
}

static inline void interval_end(void)
{
	MARKER(MARKER_DISP_END);
}

#endif
