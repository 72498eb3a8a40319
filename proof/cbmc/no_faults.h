/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stands for model/core/inject.c in harnesses of the files that ask it whether a
 * fault happens: no theorem is about a device of which a user has asked for faults,
 * so no fault is set.
 */

#ifndef PROOF_NO_FAULTS_H
#define PROOF_NO_FAULTS_H

#include "core/inject.h"

bool model_inject_step(struct model_injects *list, enum model_inject_kind kind,
		       u32 number, struct model_inject *fault)
{
	(void)list;
	(void)kind;
	(void)number;
	(void)fault;
	PROVE(!"no fault is set");
	return false;
}

bool model_inject_refuses(struct model_injects *list, u32 key)
{
	(void)list;
	(void)key;
	PROVE(!"no fault is set");
	return false;
}

void model_inject_forget(struct model_injects *list, u64 kinds, u32 number)
{
	(void)kinds;
	(void)number;
	PROVE(!list->num);
}

void model_inject_forget_keys(struct model_injects *list, u32 index)
{
	(void)index;
	PROVE(!list->num);
}

#endif /* PROOF_NO_FAULTS_H */
