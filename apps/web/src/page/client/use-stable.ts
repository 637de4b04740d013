import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function that stays the same over renders and always does what the latest one would. For events, not for rendering. */
export function useStable<Parameters extends unknown[], Result>(
  latest: (...parameters: Parameters) => Result,
): (...parameters: Parameters) => Result {
  const current = useRef(latest)
  useLayoutEffect(() => {
    current.current = latest
  })
  return useCallback((...parameters) => current.current(...parameters), [])
}
