import type { StoreApi } from 'zustand/vanilla'

/** A store as those see it who only read it. */
export type Readable<State> = Pick<StoreApi<State>, 'getState' | 'getInitialState' | 'subscribe'>
