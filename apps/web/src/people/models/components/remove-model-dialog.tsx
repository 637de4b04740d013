import type { ModelConnection } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { useRemoveModel } from '../api/models.queries.ts'

export function RemoveModelDialog(props: { model: ModelConnection; onClose: () => void }) {
  const { t } = useTranslation('models')
  const remove = useRemoveModel()
  return (
    <ConfirmDialog
      title={t('removeTitle', { name: props.model.name })}
      text={t('removeText')}
      action={remove.isPending ? t('removing') : t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(props.model.id, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}
