/** Runs work side by side, so many at a time; the rest waits in the order of the calls. A failure frees its place. */
export { default as pLimit, type LimitFunction } from 'p-limit'
