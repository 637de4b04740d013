import { fillDiskSlots } from '@threadbox/testkit'

/** Before a whole stage; a run of selected files unpacks the base image only if one of them needs it. */
export default async function setup(): Promise<void> {
  if (process.env.THREADBOX_TEST_WHOLE_STAGE === '1') await fillDiskSlots()
}
