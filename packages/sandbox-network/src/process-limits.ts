/**
 * What processes that read what sandboxes send are started with, as options of `prlimit`: no file with their memory, no
 * locked memory, and no message queues. They only lower limits: raising one needs a capability that these have not.
 */
export const processLimits = ['--core=0', '--memlock=0', '--msgqueue=0'] as const
