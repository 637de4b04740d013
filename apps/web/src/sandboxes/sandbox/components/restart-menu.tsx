import type { SandboxDetail, Thread } from '@threadbox/sdk'
import { Ellipsis, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { useSandboxAction } from '../api/sandbox.queries.ts'
import { processName } from '../state/chip.logic.ts'

/** Restarts the sandbox, after a dialog that names what is lost. */
export function RestartMenu(props: { thread: Thread; processes: SandboxDetail['processes'] }) {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  const [isAsking, setIsAsking] = useState(false)
  const restart = useSandboxAction(props.thread.id, 'restart')
  const names = (props.processes ?? [])
    .filter(({ role }) => role === 'user' || role === 'service')
    .map(({ commandLine }) => processName(commandLine))
  const close = () => {
    setIsAsking(false)
    restart.reset()
  }
  return (
    <>
      <Menu
        align="end"
        label={t('pane.more')}
        trigger={
          <IconButton size="md" label={t('pane.more')}>
            <Ellipsis className="i" size={16} />
          </IconButton>
        }
      >
        <MenuItem
          icon={<RotateCcw className="i" size={14} />}
          // The menu restores the focus when it closes, and the dialog takes it after that.
          onSelect={() => setTimeout(() => setIsAsking(true))}
        >
          {t('pane.restart')}
        </MenuItem>
      </Menu>
      {isAsking && (
        <ConfirmDialog
          title={t('pane.restartTitle')}
          text={format.sentences([
            t('pane.restartText'),
            ...(names.length === 0
              ? []
              : [t('pane.restartLoses', { names: format.items([...new Set(names)].slice(0, 5)) })]),
          ])}
          action={t('pane.restartAction')}
          isPending={restart.isPending}
          error={restart.error}
          onConfirm={() => restart.mutate(undefined, { onSuccess: close })}
          onClose={close}
        />
      )}
    </>
  )
}
