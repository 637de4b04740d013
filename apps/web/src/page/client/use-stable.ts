import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function with a stable identity that calls the one of the latest render. For events, not for rendering. */
export function useStable<Parameters extends unknown[], Result>(
  latest: (...parameters: Parameters) => Result,
): (...parameters: Parameters) => Result {
  const current = useRef(latest)
  useLayoutEffect(() => {
    current.current = latest
  })
  return useCallback((...parameters) => current.current(...parameters), [])
}
