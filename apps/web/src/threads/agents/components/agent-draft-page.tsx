import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { AgentDraft } from '@threadbox/sdk'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { shownText } from '../../../page/content/state/names.logic.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { PlainHeader } from '../../../page/parts/plain-header.tsx'
import { useDocumentTitle } from '../../../page/parts/use-document-title.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useAcceptDraft, useAgentDraft, useDeclineDraft } from '../api/agent-drafts.queries.ts'
import { acceptanceOf, type DraftItem, offersOf, toggled } from '../state/draft-choices.logic.ts'
import {
  DraftConnections,
  DraftEnvironment,
  DraftInstructions,
  DraftMissing,
  DraftServices,
} from './draft-sections.tsx'
import { DraftSkills } from './draft-skills.tsx'

const route = getRouteApi('/app/agent-drafts/$draftId')

/** The review of an imported agent file: everything in it that would run or be given to a model, with a choice each. */
export function AgentDraftPage() {
  const { t } = useTranslation('agents')
  const { draftId } = route.useParams()
  const draft = useAgentDraft(draftId)
  const title = draft.data === undefined ? t('title') : t('review.title', { name: shownText(draft.data.name) })
  useDocumentTitle(title)
  return (
    <main className="main" id="content" tabIndex={-1}>
      <PlainHeader title={title}>
        <Link className="btn to-agents" to="/agents">
          {t('all')}
        </Link>
      </PlainHeader>
      <div className="agents-scroll">
        <div className="page">
          <Loaded query={draft}>{(data) => <Review key={data.id} draft={data} />}</Loaded>
        </div>
      </div>
    </main>
  )
}

function Review(props: { draft: AgentDraft }) {
  const { t } = useTranslation('agents')
  const navigate = useNavigate()
  const { draft } = props
  const [chosen, setChosen] = useState<ReadonlySet<DraftItem>>(new Set())
  const [isDeclining, setDeclining] = useState(false)
  const accept = useAcceptDraft(draft.id)
  const decline = useDeclineDraft(draft.id)
  const leave = (text: string) => {
    showToast(text)
    void navigate({ to: '/agents' })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (accept.isPending) return
    accept.mutate(acceptanceOf(draft, chosen), { onSuccess: ({ name }) => leave(t('review.accepted', { name })) })
  }
  const choices = { draft, chosen, onToggle: (item: DraftItem) => setChosen((before) => toggled(before, item)) }
  const name = shownText(draft.name)
  return (
    <form className="draft" onSubmit={submit} noValidate>
      <DraftHead draft={draft} />
      <DraftInstructions {...choices} />
      <DraftEnvironment {...choices} />
      <DraftServices {...choices} />
      <DraftSkills {...choices} />
      <DraftConnections {...choices} />
      <DraftMissing draft={draft} />
      {accept.error !== null && <FormProblem error={accept.error} title={t('review.acceptFailed')} />}
      <div className="draft-actions">
        <p className="facts grow" role="status">
          {t('review.selected', { count: chosen.size, total: offersOf(draft).length })}
        </p>
        <Button size="md" onClick={() => setDeclining(true)}>
          {t('review.decline')}
        </Button>
        <Button size="md" type="submit" variant="primary" isLoading={accept.isPending}>
          {t('review.accept')}
        </Button>
      </div>
      {isDeclining && (
        <ConfirmDialog
          title={t('review.declineTitle', { name })}
          text={t('review.declineText')}
          action={t('review.decline')}
          isPending={decline.isPending}
          error={decline.error}
          onConfirm={() => decline.mutate(undefined, { onSuccess: () => leave(t('review.declined', { name })) })}
          onClose={() => setDeclining(false)}
        />
      )}
    </form>
  )
}

function DraftHead(props: { draft: AgentDraft }) {
  const { t } = useTranslation('agents')
  const format = useFormat()
  const { description, file, comparedWith } = props.draft
  return (
    <div className="draft-head">
      <p className="lead">{t('review.lead')}</p>
      {description !== '' && <p className="skill-description">{shownText(description)}</p>}
      <p className="facts">
        {[format.bytes(file.sizeBytes), t('review.exportedAt', { when: format.fullMoment(file.exportedAt) })].join(
          ' · ',
        )}
      </p>
      <p className="facts">
        {t('review.sha256')} <code className="draft-digest">{file.sha256}</code>
      </p>
      {comparedWith !== null && <p className="draft-compared">{t('review.comparedWith', comparedWith)}</p>}
    </div>
  )
}
