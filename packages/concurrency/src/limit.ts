/**
 * Runs a limited number of work items in parallel; the rest waits in the order of the calls. A failed one makes way for
 * the next.
 */
export { default as pLimit, type LimitFunction } from 'p-limit'
