import { queryOptions, useQuery } from '@tanstack/react-query'
import { type PreviewProblem, type ThreadboxClient, ThreadboxError } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { checkPreviews } from '../state/preview-check.ts'
import { obstacleOf } from '../state/preview-findings.logic.ts'

export type { PreviewFinding } from '../state/preview-findings.logic.ts'

/** A good result is trusted for this long. After a bad one every request checks again. */
const trustMs = 60_000

/** Tests whether this browser can show previews. */
export function previewCheckQuery(client: ThreadboxClient) {
  return queryOptions({
    queryKey: queryKeys.previewCheck,
    queryFn: ({ signal }) => checkPreviews(client, signal),
    staleTime: ({ state }) => (state.data !== undefined && obstacleOf(state.data) === null ? trustMs : 0),
  })
}

export function usePreviewCheck() {
  return useQuery(previewCheckQuery(useClient()))
}

/** The problem as an error, so that it is translated like errors of the server. */
export function errorOf(problem: PreviewProblem): ThreadboxError {
  return new ThreadboxError({ kind: 'unsupported', ...problem })
}
