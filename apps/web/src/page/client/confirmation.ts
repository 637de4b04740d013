import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

/** The code with which the server asks that the person of a session enter their password again. */
const code = 'auth.confirmation-required'

/** Asks for the password and resolves to whether the server accepted it. Concurrent callers share one question. */
type Ask = () => Promise<boolean>

const store = createStore<{ question: PromiseWithResolvers<boolean> | null }>(() => ({ question: null }))

export const askForConfirmation: Ask = () => {
  const question = store.getState().question ?? Promise.withResolvers<boolean>()
  store.setState({ question })
  return question.promise
}

/** Ends the question: `true` once the server has accepted the password, `false` if the person canceled. */
export function answerConfirmation(isConfirmed: boolean): void {
  store.getState().question?.resolve(isConfirmed)
  store.setState({ question: null })
}

export function useIsConfirmationAsked(): boolean {
  return useStore(store, ({ question }) => question !== null)
}

/**
 * Wraps `fetch`: a request that needs a confirmation waits for it and is sent again. If the person cancels, the refusal
 * is the response. A body that can be read only once isn’t sent again.
 */
export function confirmingFetch(fetchOnce: typeof fetch, ask: Ask): typeof fetch {
  return async (input, init) => {
    const response = await fetchOnce(input, init)
    if (response.status !== 403 || init?.body instanceof ReadableStream) return response
    const body = (await response
      .clone()
      .json()
      .catch(() => undefined)) as { error?: { code?: unknown } } | undefined
    return body?.error?.code === code && (await ask()) ? await fetchOnce(input, init) : response
  }
}
