import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogActions } from '../../ui/dialog-actions.tsx'
import { FormProblem } from './form-problem.tsx'

/** Asks before something is permanently removed. Cancel has the focus; a failure is shown in the dialog. */
export function ConfirmDialog(props: {
  title: string
  text: string
  action: string
  isPending: boolean
  error: unknown
  onConfirm: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('common')
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={props.title}
      description={props.text}
      closeLabel={t('close')}
      footer={
        <DialogActions cancelLabel={t('cancel')} onCancel={props.onClose} autoFocusCancel>
          <Button
            size="md"
            variant="primary"
            className="btn--danger"
            onClick={props.onConfirm}
            isLoading={props.isPending}
          >
            {props.action}
          </Button>
        </DialogActions>
      }
    >
      {props.error === null || props.error === undefined ? undefined : <FormProblem error={props.error} />}
    </Dialog>
  )
}
