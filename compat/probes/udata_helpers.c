// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Are there functions that check length and unknown bytes of driver data? */
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

int probe(struct ib_udata *udata);
int probe(struct ib_udata *udata)
{
	u64 req;
	int err;

	err = ib_is_udata_in_empty(udata);
	if (!err)
		err = _ib_copy_validate_udata_in(udata, &req, sizeof(req), 8);
	if (!err)
		err = ib_respond_udata(udata, req);
	return err ?: ib_no_udata_io(udata);
}
