import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { openLayer } from '../../../page/client/layers.ts'
import { chooseTheme } from '../../../page/client/theme.ts'
import { toggleSidebar } from '../../../page/client/ui-state.ts'
import { keyCaps } from '../../../page/keys/state/key-caps.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import type { PaletteAction } from '../../../page/thread/state/thread-actions.ts'
import { useSignOut } from '../../../people/auth/api/session.queries.ts'
import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'

/** Actions of the palette that are available everywhere. */
export function useAppActions(): PaletteAction[] {
  const { t } = useTranslation(['search', 'workspaces'])
  const workspaces = useWorkspaces()
  const navigate = useNavigate()
  const signOut = useSignOut()
  const showError = useErrorToast()
  const { mutate } = signOut
  return useMemo(() => {
    const settings = (section: string) => () => void navigate({ to: '/settings/$section', params: { section } })
    const action = (id: string, label: string, run: () => void, shortcut?: string): PaletteAction => ({
      id,
      label,
      scope: 'app',
      run,
      ...(shortcut === undefined ? {} : { shortcut }),
    })
    const leave = () =>
      mutate(undefined, { onSuccess: () => void navigate({ to: '/login', replace: true }), onError: showError })
    return [
      action('new-thread', t('action.newThread'), () => void navigate({ to: '/threads/new' }), keyCaps('mod+shift+O')),
      action('connect-model', t('action.connectModel'), settings('models')),
      action('settings', t('action.settings'), settings('you')),
      action('agents', t('action.agents'), () => void navigate({ to: '/agents' })),
      action('skills', t('action.skills'), settings('skills')),
      action('api-keys', t('action.apiKeys'), settings('api-keys')),
      action('sidebar', t('action.sidebar'), toggleSidebar, keyCaps('mod+shift+S')),
      action('shortcuts', t('action.shortcuts'), () => openLayer({ kind: 'shortcuts' }), keyCaps('mod+/')),
      action('theme-light', t('action.themeLight'), () => chooseTheme('light')),
      action('theme-dark', t('action.themeDark'), () => chooseTheme('dark')),
      action('theme-system', t('action.themeSystem'), () => chooseTheme('system')),
      action('sign-out', t('action.signOut'), leave),
      ...workspaces
        .filter(({ archivedAt }) => archivedAt === null)
        .map(({ id, name }) =>
          action(
            `new-in-${id}`,
            t('workspaces:newThreadIn', { name }),
            () => void navigate({ to: '/threads/new', search: { workspace: id } }),
          ),
        ),
      action('new-workspace', t('workspaces:create'), () => openLayer({ kind: 'create-workspace', threadId: null })),
    ]
  }, [t, navigate, mutate, showError, workspaces])
}
