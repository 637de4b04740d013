import type { Terminal } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { useRenameTerminal } from '../api/terminals.queries.ts'

/** The limit of the server. */
const longestTitle = 80

/** Asks for a new name for a terminal. */
export function RenameTerminal(props: { threadId: string; terminal: Terminal; onClose: () => void }) {
  const { t } = useTranslation('terminal')
  const { t: common } = useTranslation('common')
  const { terminal } = props
  const rename = useRenameTerminal(props.threadId)
  const [title, setTitle] = useState(terminal.title)
  const newTitle = title.trim()
  const submit = () => {
    if (newTitle === '' || rename.isPending) return
    if (newTitle === terminal.title) props.onClose()
    else rename.mutate({ id: terminal.id, title: newTitle }, { onSuccess: props.onClose })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('renameTitle')}
      closeLabel={common('close')}
      footer={
        <DialogActions cancelLabel={common('cancel')} onCancel={props.onClose}>
          <Button
            size="md"
            variant="primary"
            isDisabled={newTitle === ''}
            isLoading={rename.isPending}
            onClick={submit}
          >
            {t('rename')}
          </Button>
        </DialogActions>
      }
    >
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Field label={t('name')}>
          {(control) => (
            <Input
              {...control}
              value={title}
              maxLength={longestTitle}
              autoComplete="off"
              spellCheck={false}
              dir="auto"
              onFocus={(event) => event.target.select()}
              onChange={(event) => setTitle(event.target.value)}
            />
          )}
        </Field>
        {rename.error !== null && <FormProblem error={rename.error} />}
      </form>
    </Dialog>
  )
}
