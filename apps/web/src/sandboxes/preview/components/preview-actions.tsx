import { Ellipsis, ExternalLink, Pin, PinOff, Power, Share2, Square, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { useRemoveService, useRestartService, useStopService } from '../api/services.queries.ts'
import { pinPreview } from '../state/preview-store.ts'
import type { PreviewTarget } from '../state/targets.logic.ts'
import { useOpenTab } from '../state/use-open-tab.ts'
import { ShareDialog } from './share-dialog.tsx'

/** The actions on a service in the header of its preview. */
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
  const [isSharing, setSharing] = useState(false)
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
      {service !== null && !props.isSheet && (
        <IconButton label={t('share.open')} onClick={() => setSharing(true)}>
          <Share2 className="i" size={15} />
        </IconButton>
      )}
      <IconButton label={t('newTab')} onClick={() => openTab(target.port, props.path)}>
        <ExternalLink className="i" size={15} />
      </IconButton>
      {service !== null && (
        <ServiceMenu
          threadId={threadId}
          name={service.name}
          isStopped={target.status === 'stopped'}
          onShare={() => setSharing(true)}
        />
      )}
      {service !== null && isSharing && (
        <ShareDialog threadId={threadId} service={service.name} onClose={() => setSharing(false)} />
      )}
    </>
  )
}

function ServiceMenu(props: { threadId: string; name: string; isStopped: boolean; onShare: () => void }) {
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
      <MenuItem icon={<Share2 className="i" size={14} />} onSelect={props.onShare}>
        {t('share.open')}
      </MenuItem>
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
