import type { ConnectionPreset } from '@threadbox/protocol/public'

const preset = (
  id: string,
  name: string,
  rest: Partial<Omit<ConnectionPreset, 'id' | 'name' | 'needs'>> & Pick<ConnectionPreset, 'needs'>,
): ConnectionPreset => ({ id, name, url: null, tokenUrl: null, header: null, program: null, ...rest })

/**
 * Widely used servers. `program`: runs here in its own sandbox. `own-server`: the service has no public address that
 * accepts a token, so users run its server themselves, as a service, and enter its address.
 */
export const connectionPresets: readonly ConnectionPreset[] = [
  preset('github', 'GitHub', {
    needs: 'token',
    url: 'https://api.githubcopilot.com/mcp/',
    tokenUrl: 'https://github.com/settings/personal-access-tokens',
  }),
  preset('hugging-face', 'Hugging Face', {
    needs: 'token',
    url: 'https://huggingface.co/mcp',
    tokenUrl: 'https://huggingface.co/settings/tokens',
  }),
  preset('context7', 'Context7', {
    needs: 'token',
    url: 'https://mcp.context7.com/mcp',
    tokenUrl: 'https://context7.com/dashboard',
    header: 'CONTEXT7_API_KEY',
  }),
  preset('deepwiki', 'DeepWiki', { needs: 'nothing', url: 'https://mcp.deepwiki.com/mcp' }),
  preset('notion', 'Notion', { needs: 'oauth', url: 'https://mcp.notion.com/mcp' }),
  preset('slack', 'Slack', { needs: 'oauth', url: 'https://mcp.slack.com/mcp' }),
  preset('linear', 'Linear', { needs: 'oauth', url: 'https://mcp.linear.app/mcp' }),
  preset('google-drive', 'Google Drive', { needs: 'own-server' }),
  preset('google-sheets', 'Google Sheets', { needs: 'own-server' }),
  preset('postgres', 'Postgres', {
    needs: 'program',
    // Of the maintained servers for it, the only one with a read-only option.
    program: {
      command: 'uvx',
      args: ['postgres-mcp', '--access-mode=restricted'],
      environment: [{ name: 'DATABASE_URI', value: null, isSecret: true }],
    },
  }),
]
