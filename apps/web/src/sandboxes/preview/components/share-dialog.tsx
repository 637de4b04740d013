import type { CreatedShareLink, ShareLink } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { AddressOnce } from '../../../page/parts/address-once.tsx'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { useCreateShareLink, useEndShareLink, useShareLinks } from '../api/share-links.queries.ts'

const lifetimes = { hour: 3600, day: 24 * 3600, week: 7 * 24 * 3600, open: null } as const
type Lifetime = keyof typeof lifetimes

/**
 * Links with which anyone can see the pages of one service: creates them, shows each address once, and revokes them.
 */
export function ShareDialog(props: { threadId: string; service: string; onClose: () => void }) {
  const { t } = useTranslation(['preview', 'common'])
  const { threadId, service } = props
  const links = useShareLinks(threadId)
  const [made, setMade] = useState<CreatedShareLink | null>(null)
  const own = (links.data?.links ?? []).filter((link) => link.service === service)
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('share.title', { name: service })}
      description={t('share.lead')}
      closeLabel={t('common:close')}
      footer={
        <>
          <span className="grow" />
          <Button size="md" onClick={props.onClose}>
            {t('share.done')}
          </Button>
        </>
      }
    >
      <div className="model-form">
        {made === null ? (
          <LinkForm threadId={threadId} service={service} onMade={setMade} />
        ) : (
          <AddressOnce
            url={made.url}
            words={{ label: t('share.address'), help: t('share.once'), another: t('share.another') }}
            onAnother={() => setMade(null)}
          />
        )}
        {links.data?.isLocalOnly === true && <p className="help">{t('share.localOnly')}</p>}
        {links.isError && <FormProblem error={links.error} />}
        {own.length > 0 && (
          <LinkList threadId={threadId} links={own} onEnded={(id) => made?.id === id && setMade(null)} />
        )}
      </div>
    </Dialog>
  )
}

function LinkForm(props: { threadId: string; service: string; onMade: (link: CreatedShareLink) => void }) {
  const { t } = useTranslation('preview')
  const create = useCreateShareLink(props.threadId, props.service)
  const [lifetime, setLifetime] = useState<Lifetime>('day')
  const [mayWake, setMayWake] = useState(false)
  const wakeId = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ expiresInSeconds: lifetimes[lifetime], mayWake }, { onSuccess: props.onMade })
  }
  return (
    <form className="share-form" onSubmit={submit}>
      <Field label={t('share.ends')}>
        {(control) => (
          <Select
            id={control.id}
            value={lifetime}
            options={(Object.keys(lifetimes) as Lifetime[]).map((value) => ({
              value,
              label: t(`share.lifetime.${value}`),
            }))}
            onChange={setLifetime}
          />
        )}
      </Field>
      <div className="row-line">
        <label className="grow" htmlFor={wakeId}>
          {t('share.mayWake')}
        </label>
        <Switch id={wakeId} isOn={mayWake} onChange={setMayWake} />
      </div>
      {create.error !== null && <FormProblem error={create.error} />}
      <div>
        <Button size="md" variant="primary" type="submit" isLoading={create.isPending}>
          {create.isPending ? t('share.making') : t('share.make')}
        </Button>
      </div>
    </form>
  )
}

function LinkList(props: { threadId: string; links: readonly ShareLink[]; onEnded: (id: string) => void }) {
  const { t, i18n } = useTranslation('preview')
  const format = useFormat()
  const end = useEndShareLink(props.threadId)
  const now = Date.now()
  const when = (at: number) => relativeTime(at, { now, locale: i18n.language })
  return (
    <section aria-label={t('share.list')}>
      <h3 className="share-head">{t('share.list')}</h3>
      <ul className="rows">
        {props.links.map((link) => {
          const until = link.expiresAt === null ? t('share.noEnd') : t('share.until', { when: when(link.expiresAt) })
          return (
            <li key={link.id} className="row row-line">
              <div className="grow">
                {until}
                <p className="facts" title={format.fullMoment(link.createdAt)}>
                  {[
                    t('share.made', { when: when(link.createdAt) }),
                    t(link.mayWake ? 'share.wakes' : 'share.wakesNot'),
                  ].join(' · ')}
                </p>
              </div>
              <Button
                aria-label={t('share.endOf', { when: when(link.createdAt) })}
                isLoading={end.isPending && end.variables === link.id}
                onClick={() => end.mutate(link.id, { onSuccess: () => props.onEnded(link.id) })}
              >
                {t('share.end')}
              </Button>
            </li>
          )
        })}
      </ul>
      {end.error !== null && <FormProblem error={end.error} />}
    </section>
  )
}
