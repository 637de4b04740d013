import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { NotFoundPage } from '../../../page/parts/not-found-page.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { useMe, useSetupState } from '../../auth/api/session.queries.ts'
import { useOpenThread } from '../api/leaving.queries.ts'

/** For a thread that this person doesn’t see: the owner and admins can open it with a reason if the installation allows it. */
export function MissingThreadPage({ threadId }: { threadId: string }) {
  const { t } = useTranslation('people')
  const me = useMe().data
  const isOn = useSetupState().data?.adminsMayRead === true
  const open = useOpenThread(threadId)
  const [reason, setReason] = useState('')
  if (!isOn || me === undefined || me.role === 'member') return <NotFoundPage />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason.trim() !== '') open.mutate(reason, { onSuccess: () => location.reload() })
  }
  return (
    <main className="message-page" id="content" tabIndex={-1}>
      <form className="model-form" onSubmit={submit} noValidate>
        <h1>{t('leaving.opening.title')}</h1>
        <p className="muted">{t('leaving.opening.text')}</p>
        <Field label={t('leaving.opening.reason')}>
          {(control) => (
            <Input {...control} value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
          )}
        </Field>
        {open.error !== null && <FormProblem error={open.error} />}
        <div>
          <Button
            type="submit"
            variant="primary"
            size="md"
            isDisabled={reason.trim() === ''}
            isLoading={open.isPending}
          >
            {t('leaving.opening.action')}
          </Button>
        </div>
      </form>
    </main>
  )
}

/** Says that the owner and admins can read all threads; nothing while they can’t. */
export function AdminsMayReadNote() {
  const { t } = useTranslation('people')
  if (useSetupState().data?.adminsMayRead !== true) return null
  return <p className="help may-read">{t('leaving.opening.on')}</p>
}
