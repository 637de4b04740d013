import type { ServicesView } from '@threadbox/sdk'
import { useEffect, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useStable } from '../../../page/client/use-stable.ts'
import { LearnMore } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import { Pane } from '../../../ui/pane.tsx'
import { Resizer } from '../../../ui/resizer.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { closePane, usePaneClose, wasPaneOpenedByUser } from '../../panes/state/pane-store.ts'
import type { PaneProps } from '../../panes/state/panes-context.ts'
import { useServices } from '../api/services.queries.ts'
import { usePreviewView } from '../state/preview-store.ts'
import { pathOf, withClosed, withTarget } from '../state/preview-view.logic.ts'
import { chosenTarget, noServices, offeredPorts, targetsOf } from '../state/targets.logic.ts'
import { PortOffers } from './port-offers.tsx'
import { PreviewActions } from './preview-actions.tsx'
import { PreviewBody } from './preview-body.tsx'
import { ServiceTabs } from './service-tabs.tsx'

/** The services of a thread, live beside its conversation. */
export function PreviewPane(props: PaneProps) {
  const { t } = useTranslation('preview')
  const { threadId, isSheet, isPinned } = props
  const services = useServices(threadId)
  const [view, change] = usePreviewView(threadId)
  const panelId = useId()
  const shown = services.data ?? noServices
  const targets = targetsOf(shown, view.target)
  const chosen = chosenTarget(targets, view.target)
  const choose = (key: string) => change((before) => withTarget(before, key))
  useDismissal(chosen?.key ?? null, change)
  return (
    <Pane
      title={t('title')}
      isSheet={isSheet}
      isFilled
      takesFocus={wasPaneOpenedByUser()}
      closeLabel={t('close')}
      onClose={() => closePane()}
      resizer={<Resizer label={t('resize')} width={props.width} minimum={400} onChange={props.onWidth} />}
      {...(chosen === null
        ? {}
        : {
            lead: (
              <ServiceTabs targets={targets} chosen={chosen} isSheet={isSheet} panelId={panelId} onChoose={choose} />
            ),
            actions: (
              <PreviewActions
                threadId={threadId}
                target={chosen}
                path={pathOf(view, chosen.key)}
                isPinned={isPinned}
                isSheet={isSheet}
              />
            ),
          })}
    >
      <PortOffers ports={offeredPorts(shown, targets)} onShow={choose} />
      {chosen === null ? (
        <NoService services={services} />
      ) : (
        <PreviewBody
          key={`${chosen.key} ${chosen.port}`}
          threadId={threadId}
          target={chosen}
          view={view}
          onView={change}
          isSheet={isSheet}
          panelId={panelId}
        />
      )}
    </Pane>
  )
}

/** After you close the preview of a service, it doesn’t open automatically until you open it again. */
function useDismissal(key: string | null, change: ReturnType<typeof usePreviewView>[1]): void {
  usePaneClose(useStable(() => change((view) => withClosed(view, key))))
  useEffect(() => {
    if (key !== null) change((view) => (view.closed.includes(key) ? withTarget(view, view.target ?? key) : view))
  }, [key, change])
}

function NoService(props: { services: ReturnType<typeof useServices> }) {
  const { t } = useTranslation('preview')
  const { services } = props
  const data: ServicesView | undefined = services.data
  if (data === undefined && services.isError) {
    return (
      <div className="sec">
        <LoadFailed
          error={services.error}
          title={t('notRead')}
          isRetrying={services.isFetching}
          onRetry={() => void services.refetch()}
        />
      </div>
    )
  }
  if (data === undefined) {
    return (
      <div className="sec">
        <Skeleton rows={3} label={t('loading')} />
      </div>
    )
  }
  return (
    <div className="pane-empty">
      <b>{t('empty')}</b>
      <p>
        {t('emptyText')} <LearnMore to={docsPlaces.services} />
      </p>
    </div>
  )
}
