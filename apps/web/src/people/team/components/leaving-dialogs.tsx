import type { Belongings, Me, Person } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { hasNames } from '../../../page/thread/state/use-ask-personal.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useBelongings, useErase, useHandOver } from '../api/leaving.queries.ts'
import { usePeople } from '../api/people.queries.ts'
import { PersonalNamesList } from './personal-names.tsx'

const counted = ['threads', 'sharedThreads', 'workspaces', 'agents', 'skills', 'schedules', 'webhooks'] as const

/** What a person has, by number, and the names of what stays theirs alone. */
function BelongingsList({ belongings, personalText }: { belongings: Belongings; personalText: string }) {
  const { t } = useTranslation('people')
  const { counts, personal } = belongings
  const some = counted.filter((kind) => counts[kind] > 0)
  return (
    <>
      {some.length === 0 ? (
        <p className="nothing">{t('leaving.nothing')}</p>
      ) : (
        <ul className="names">
          {some.map((kind) => (
            <li key={kind}>{t(`leaving.counts.${kind}`, { count: counts[kind] })}</li>
          ))}
        </ul>
      )}
      {hasNames(personal) && (
        <>
          <p className="help">{personalText}</p>
          <PersonalNamesList names={personal} />
        </>
      )}
    </>
  )
}

/** Gives what a disabled person has to another person. */
export function HandOverDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const { t } = useTranslation(['people', 'common'])
  const belongings = useBelongings(person.id)
  const handOver = useHandOver(person.id)
  const others = (usePeople().data ?? []).filter(({ id, isDisabled }) => id !== person.id && !isDisabled)
  const [to, setTo] = useState('')
  const chosen = to === '' ? (others[0]?.id ?? '') : to
  const start = () =>
    handOver.mutate(chosen, {
      onSuccess: () => {
        showToast(t('leaving.handOverStarted'))
        onClose()
      },
    })
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('leaving.handOverTitle', { name: person.name })}
      description={t('leaving.handOverText')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={onClose}>
          <Button size="md" variant="primary" isDisabled={chosen === ''} isLoading={handOver.isPending} onClick={start}>
            {t('leaving.handOverAction')}
          </Button>
        </DialogActions>
      }
    >
      <div className="model-form">
        <Loaded query={belongings}>
          {(all) => <BelongingsList belongings={all} personalText={t('leaving.personalStays')} />}
        </Loaded>
        <Field label={t('leaving.handOverTo')}>
          {(control) => (
            <Select
              id={control.id}
              value={chosen}
              options={others.map(({ id, name }) => ({ value: id, label: name }))}
              onChange={setTo}
            />
          )}
        </Field>
        {handOver.error !== null && <FormProblem error={handOver.error} />}
      </div>
    </Dialog>
  )
}

/** Erases an account, after its name was typed: another person’s, or with `isOwn` one’s own. */
export function EraseDialog(props: {
  person: Pick<Person | Me, 'id' | 'name'>
  isOwn?: boolean
  onErased: () => void
  onClose: () => void
}) {
  const { t } = useTranslation(['people', 'common'])
  const { person, isOwn = false, onErased, onClose } = props
  const formId = useId()
  const belongings = useBelongings(isOwn ? null : person.id)
  const erase = useErase(isOwn ? null : person.id)
  const [typed, setTyped] = useState('')
  const isTyped = typed.trim() === person.name
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isTyped) erase.mutate(undefined, { onSuccess: onErased })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={isOwn ? t('leaving.own.deleteTitle') : t('leaving.eraseTitle', { name: person.name })}
      description={isOwn ? t('leaving.own.deleteText') : t('leaving.eraseText')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={onClose}>
          <Button
            size="md"
            variant="primary"
            className="btn--danger"
            type="submit"
            form={formId}
            isDisabled={!isTyped || belongings.data === undefined}
            isLoading={erase.isPending}
          >
            {isOwn ? t('leaving.own.delete') : t('leaving.eraseAction')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <Loaded query={belongings}>
          {(all) => (
            <>
              <BelongingsList belongings={all} personalText={t('leaving.personalErased')} />
              {all.counts.messagesToOthers > 0 && (
                <p className="help">{t('leaving.elsewhere', { count: all.counts.messagesToOthers })}</p>
              )}
            </>
          )}
        </Loaded>
        <Field label={t('leaving.eraseType', { name: person.name })}>
          {(control) => (
            <Input {...control} value={typed} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />
          )}
        </Field>
        {erase.error !== null && <FormProblem error={erase.error} />}
      </form>
    </Dialog>
  )
}
