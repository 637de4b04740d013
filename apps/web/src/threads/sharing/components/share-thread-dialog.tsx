import type { CreatedThreadLink, ThreadLink } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { closeLayer, useLayer } from '../../../page/client/layers.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { AddressOnce } from '../../../page/parts/address-once.tsx'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { useCreateThreadLink, useEndThreadLink, useThreadLinks } from '../api/thread-links.queries.ts'
import { isLocalAddress } from '../state/local-address.ts'

const lifetimes = { hour: 3600, day: 24 * 3600, week: 7 * 24 * 3600, month: 30 * 24 * 3600, open: null } as const
type Lifetime = keyof typeof lifetimes

/** The dialog for sharing a thread, if one is open; once per app. */
export function ShareThreadLayer() {
  const layer = useLayer('share-thread')
  return layer === null ? null : (
    <ShareThreadDialog threadId={layer.threadId} onClose={() => closeLayer('share-thread')} />
  )
}

/** Links with which anyone can read a thread: creates them, shows each address once, and revokes them. */
function ShareThreadDialog(props: { threadId: string; onClose: () => void }) {
  const { t } = useTranslation(['sharing', 'common'])
  const { threadId } = props
  const links = useThreadLinks(threadId)
  const [made, setMade] = useState<CreatedThreadLink | null>(null)
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('title')}
      description={t('lead')}
      closeLabel={t('common:close')}
      footer={
        <>
          <span className="grow" />
          <Button size="md" onClick={props.onClose}>
            {t('done')}
          </Button>
        </>
      }
    >
      <div className="model-form">
        {made === null ? (
          <LinkForm threadId={threadId} onMade={setMade} />
        ) : (
          <AddressOnce
            url={made.url}
            words={{ label: t('address'), help: t('once'), another: t('another') }}
            note={isLocalAddress(made.url) && <p className="help">{t('localOnly')}</p>}
            onAnother={() => setMade(null)}
          />
        )}
        {links.isError && <FormProblem error={links.error} />}
        {links.data !== undefined && links.data.length > 0 && (
          <LinkList threadId={threadId} links={links.data} onEnded={(id) => made?.id === id && setMade(null)} />
        )}
      </div>
    </Dialog>
  )
}

function LinkForm(props: { threadId: string; onMade: (link: CreatedThreadLink) => void }) {
  const { t } = useTranslation('sharing')
  const create = useCreateThreadLink(props.threadId)
  const [lifetime, setLifetime] = useState<Lifetime>('week')
  const [withFiles, setWithFiles] = useState(false)
  const [allowsCopies, setAllowsCopies] = useState(false)
  const filesId = useId()
  const copiesId = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (create.isPending) return
    create.mutate({ expiresInSeconds: lifetimes[lifetime], withFiles, allowsCopies }, { onSuccess: props.onMade })
  }
  return (
    <form className="share-form" onSubmit={submit}>
      <Field label={t('ends')}>
        {(control) => (
          <Select
            id={control.id}
            value={lifetime}
            options={(Object.keys(lifetimes) as Lifetime[]).map((value) => ({ value, label: t(`lifetime.${value}`) }))}
            onChange={setLifetime}
          />
        )}
      </Field>
      <div className="row-line">
        <label className="grow" htmlFor={filesId}>
          {t('withFiles')}
        </label>
        <Switch id={filesId} isOn={withFiles} onChange={setWithFiles} />
      </div>
      <div className="row-line">
        <label className="grow" htmlFor={copiesId}>
          {t('allowsCopies')}
        </label>
        <Switch id={copiesId} isOn={allowsCopies} onChange={setAllowsCopies} />
      </div>
      {allowsCopies && (
        <p className="help" role="status">
          {t('copiesWarning')}
        </p>
      )}
      {create.error !== null && <FormProblem error={create.error} />}
      <div>
        <Button size="md" variant="primary" type="submit" isLoading={create.isPending}>
          {create.isPending ? t('making') : t('make')}
        </Button>
      </div>
    </form>
  )
}

function LinkList(props: { threadId: string; links: readonly ThreadLink[]; onEnded: (id: string) => void }) {
  const { t, i18n } = useTranslation('sharing')
  const format = useFormat()
  const end = useEndThreadLink(props.threadId)
  const now = Date.now()
  const when = (at: number) => relativeTime(at, { now, locale: i18n.language })
  return (
    <section aria-label={t('list')}>
      <h3 className="share-head">{t('list')}</h3>
      <ul className="rows">
        {props.links.map((link) => (
          <li key={link.id} className="row row-line">
            <div className="grow">
              {link.expiresAt === null ? t('noEnd') : t('until', { when: when(link.expiresAt) })}
              <p className="facts" title={format.fullMoment(link.createdAt)}>
                {[
                  t('made', { when: when(link.createdAt) }),
                  t(link.withFiles ? 'files' : 'noFiles'),
                  ...(link.allowsCopies ? [t('copied', { count: link.copiedCount, left: link.copiesLeft })] : []),
                  link.lastOpenedAt === null
                    ? t('neverOpened')
                    : t('opened', { count: link.openedCount, when: when(link.lastOpenedAt) }),
                ].join(' · ')}
              </p>
            </div>
            <Button
              aria-label={t('endOf', { when: when(link.createdAt) })}
              isLoading={end.isPending && end.variables === link.id}
              onClick={() => end.mutate(link.id, { onSuccess: () => props.onEnded(link.id) })}
            >
              {t('end')}
            </Button>
          </li>
        ))}
      </ul>
      {end.error !== null && <FormProblem error={end.error} />}
    </section>
  )
}
