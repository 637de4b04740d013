import { useTranslation } from 'react-i18next'
import { CheckRow } from '../../../page/parts/check-row.tsx'
import { useProblem } from '../../../page/parts/problem.ts'
import {
  errorOf,
  type PreviewFinding,
  type usePreviewCheck,
} from '../../../sandboxes/preview/api/preview-check.queries.ts'

/** The results of the preview check in this browser, as rows of the list of checks. */
export function PreviewChecks(props: { query: ReturnType<typeof usePreviewCheck> }) {
  const { t } = useTranslation('settings')
  const { data, error, isFetching } = props.query
  if (data !== undefined && !isFetching) {
    return data.map((finding) => <FindingRow key={finding.aspect} finding={finding} />)
  }
  const isNotChecked = error !== null && !isFetching
  const detail = isNotChecked ? t('about.browser.notAsked') : t('about.checking')
  return <CheckRow check={{ status: 'skipped', title: t('about.browser.names'), detail, cure: null }} />
}

function FindingRow(props: { finding: PreviewFinding }) {
  const { t } = useTranslation('settings')
  const problem = useProblem()
  const { aspect, status } = props.finding
  const title = t(`about.browser.${aspect}`)
  if (props.finding.problem === null) {
    const detail = status === 'ok' ? t(`about.browser.fine.${aspect}`) : t('about.browser.notReached')
    return <CheckRow check={{ status, title, detail, cure: null }} />
  }
  const { message, remedy } = problem(errorOf(props.finding.problem))
  return <CheckRow check={{ status, title, detail: message, cure: remedy }} />
}
