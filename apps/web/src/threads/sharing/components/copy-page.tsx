import { useNavigate, useParams } from '@tanstack/react-router'
import type { SharedThread } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { useDocumentTitle } from '../../../page/parts/use-document-title.ts'
import { Button } from '../../../ui/button.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { useCopySharedThread, useSharedThread } from '../api/shared-threads.queries.ts'

/**
 * The page of a link that allows copies, for signed-in users: what a copy would contain, and the button that makes one.
 */
export function CopyPage() {
  const { t } = useTranslation('sharing')
  const { secret } = useParams({ from: '/app/copy/$secret' })
  const shared = useSharedThread(secret)
  useDocumentTitle(t('copy.title'))
  return (
    <main className="message-page" id="content" tabIndex={-1}>
      <div>
        <h1>{t('copy.title')}</h1>
        {shared.isPending && (
          <p className="muted" role="status">
            <Glyph state="waking" /> {t('copy.looking')}
          </p>
        )}
        {shared.isError && (
          <>
            <FormProblem error={shared.error} />
            <a className="btn btn--md" href="/">
              {t('copy.back')}
            </a>
          </>
        )}
        {shared.data !== undefined && <CopyOffer secret={secret} shared={shared.data} />}
      </div>
    </main>
  )
}

function CopyOffer({ secret, shared }: { secret: string; shared: SharedThread }) {
  const { t } = useTranslation('sharing')
  const copy = useCopySharedThread(secret)
  const navigate = useNavigate()
  const make = () =>
    copy.mutate(undefined, {
      onSuccess: ({ id }) => navigate({ to: '/threads/$threadId', params: { threadId: id }, replace: true }),
    })
  return (
    <>
      <p>{t('copy.lead', { title: shared.title === '' ? t('copy.untitled') : shared.title })}</p>
      <ul>
        <li>{t('copy.turns', { count: shared.turns })}</li>
        <li>{t(shared.hasComputer ? 'copy.computer' : 'copy.noComputer')}</li>
      </ul>
      <p className="muted">{t('copy.notCopied')}</p>
      {shared.hasComputer && <p className="muted">{t('copy.trust')}</p>}
      {shared.copiesLeft === 0 && <p role="status">{t('copy.usedUp')}</p>}
      {copy.isError && <FormProblem error={copy.error} />}
      <div className="row-flex">
        <Button
          size="md"
          variant="primary"
          isDisabled={shared.copiesLeft === 0}
          isLoading={copy.isPending}
          onClick={make}
        >
          {t(copy.isPending ? 'copy.making' : 'copy.make')}
        </Button>
        <a className="btn btn--md" href={`/shared/${encodeURIComponent(secret)}`}>
          {t('copy.open')}
        </a>
      </div>
    </>
  )
}
