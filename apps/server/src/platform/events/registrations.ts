/** What features above add while the server is built: something that a feature below asks, or waits for, in order. */
export type Registration<Entry> = {
  add(entry: Entry): void
  entries(): readonly Entry[]
}

/** Every list that is kept in the server, by the name of the method that adds to it. */
export type Registrations = {
  list<Entry>(name: string): Registration<Entry>
  /** A list for exactly one entry. `get` throws when there is none. */
  one<Entry>(name: string): { set(entry: Entry): void; get(): Entry }
  /** At start: what is added from here on would have been missed, so it throws. */
  close(): void
  /** How many entries each list has. */
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
