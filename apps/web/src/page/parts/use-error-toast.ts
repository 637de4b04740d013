import { showErrorToast } from '../../ui/toast.tsx'
import { useProblem } from './problem.ts'

/** Shows errors of actions that have no place of their own on the page. A repeated error is one message. */
export function useErrorToast(): (error: unknown) => void {
  const problemOf = useProblem()
  return (error) => {
    const { code, message, remedy } = problemOf(error)
    showErrorToast(message, { id: `error-${code}`, description: `${remedy} (${code})` })
  }
}
