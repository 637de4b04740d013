import { Ellipsis, ExternalLink, Pin, PinOff, Power, Square, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { useRemoveService, useRestartService, useStopService } from '../api/services.queries.ts'
import { pinPreview } from '../state/preview-store.ts'
import type { PreviewTarget } from '../state/targets.models.ts'
import { useOpenTab } from '../state/use-open-tab.ts'

/** What can be done with a service from the head of its preview. */
export function PreviewActions(props: {
  threadId: string
  target: PreviewTarget
  path: string
  isPinned: boolean
  isSheet: boolean
}) {
  const { t } = useTranslation('preview')
  const { threadId, target, isPinned } = props
  const restart = useRestartService(threadId)
  const openTab = useOpenTab(threadId)
  const { service } = target
  return (
    <>
      {service !== null && (
        <Tooltip label={t('restartTip')}>
          <Button
            className="restart"
            variant="ghost"
            aria-label={t('restart')}
            icon={<Power className="i" size={15} />}
            isLoading={restart.isPending}
            onClick={() => restart.mutate(service.name)}
          >
            <span className="wide">{t('restartShort')}</span>
          </Button>
        </Tooltip>
      )}
      {!props.isSheet && (
        <IconButton
          label={isPinned ? t('unpin') : t('pin')}
          aria-pressed={isPinned}
          className={isPinned ? 'is-on' : undefined}
          onClick={() => pinPreview(threadId, !isPinned)}
        >
          {isPinned ? <PinOff className="i" size={15} /> : <Pin className="i" size={15} />}
        </IconButton>
      )}
      <IconButton label={t('newTab')} onClick={() => openTab(target.port, props.path)}>
        <ExternalLink className="i" size={15} />
      </IconButton>
      {service !== null && (
        <ServiceMenu threadId={threadId} name={service.name} isStopped={target.status === 'stopped'} />
      )}
    </>
  )
}

function ServiceMenu(props: { threadId: string; name: string; isStopped: boolean }) {
  const { t } = useTranslation('preview')
  const stop = useStopService(props.threadId)
  const remove = useRemoveService(props.threadId)
  return (
    <Menu
      align="end"
      label={t('more')}
      trigger={
        <IconButton label={t('more')}>
          <Ellipsis className="i" size={15} />
        </IconButton>
      }
    >
      <MenuItem
        icon={<Square className="i" size={14} />}
        isDisabled={props.isStopped}
        onSelect={() => stop.mutate(props.name)}
      >
        {t('stop')}
      </MenuItem>
      <MenuItem isDanger icon={<Trash2 className="i" size={14} />} onSelect={() => remove.mutate(props.name)}>
        {t('remove')}
      </MenuItem>
    </Menu>
  )
}
