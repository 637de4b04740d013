import { useSyncExternalStore } from 'react'

const query = '(max-width: 899px)'

/** Whether the page is one column, where a pane covers everything. */
export function useNarrow(): boolean {
  return useSyncExternalStore((listener) => {
    const media = matchMedia(query)
    media.addEventListener('change', listener)
    return () => media.removeEventListener('change', listener)
  }, isNarrowPage)
}

export function isNarrowPage(): boolean {
  return matchMedia(query).matches
}
