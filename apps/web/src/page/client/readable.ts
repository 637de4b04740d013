import type { StoreApi } from 'zustand/vanilla'

/** The read-only view of a store. */
export type Readable<State> = Pick<StoreApi<State>, 'getState' | 'getInitialState' | 'subscribe'>
