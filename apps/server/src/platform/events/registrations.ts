/** Entries that features above add while the server is built, for a feature below to call in order. */
export type Registration<Entry> = {
  add(entry: Entry): void
  entries(): readonly Entry[]
}

/** All lists of the server, by the name of the method that adds to them. */
export type Registrations = {
  list<Entry>(name: string): Registration<Entry>
  /** A list for exactly one entry. `get` throws when it has none. */
  one<Entry>(name: string): { set(entry: Entry): void; get(): Entry }
  /** Call at start: a later entry would have been missed, so adding it throws. */
  close(): void
  /** The number of entries of each list. */
  counts(): Record<string, number>
}

export function makeRegistrations(): Registrations {
  const lists = new Map<string, unknown[]>()
  let isClosed = false
  const list = <Entry>(name: string): Registration<Entry> => {
    const entries: Entry[] = []
    lists.set(name, entries)
    return {
      add: (entry) => {
        if (isClosed) throw new Error(`${name} was called after the start`)
        entries.push(entry)
      },
      entries: () => entries,
    }
  }
  return {
    list,
    one: <Only>(name: string) => {
      const { add, entries } = list<Only>(name)
      return {
        set: (entry: Only) => {
          if (entries().length > 0) throw new Error(`${name} was called twice`)
          add(entry)
        },
        get: () => {
          const [entry] = entries()
          if (entry === undefined) throw new Error(`${name} was not called`)
          return entry
        },
      }
    },
    close: () => {
      isClosed = true
    },
    counts: () => Object.fromEntries([...lists].map(([name, entries]) => [name, entries.length])),
  }
}
