import { queryOptions, useQuery } from '@tanstack/react-query'
import { type PreviewProblem, type ThreadboxClient, ThreadboxError } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { checkPreviews } from '../state/preview-check.ts'
import { obstacleOf } from '../state/preview-findings.models.ts'

export type { PreviewFinding } from '../state/preview-findings.models.ts'

/** What works stays so for a while; what does not is looked at anew each time somebody asks. */
const trustMs = 60_000

/** Whether this browser can show previews, found out by trying. */
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

/** As an error, to be put into words like those of the server. */
export function errorOf(problem: PreviewProblem): ThreadboxError {
  return new ThreadboxError({ kind: 'unsupported', ...problem })
}
