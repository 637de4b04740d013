import type { PossibleSecret } from '@threadbox/sdk'
import type { FoundSecret } from './secret-form.ts'

type Suggestion = { name: string; hosts: readonly string[]; placeholderPrefix?: string }

/** What a person most likely wants for a key of this form. They see and can change it before it is saved. */
const known: Readonly<Record<string, Suggestion>> = {
  'github-token': { name: 'GITHUB_TOKEN', hosts: ['api.github.com'], placeholderPrefix: 'ghp_' },
  'github-fine-grained-token': { name: 'GITHUB_TOKEN', hosts: ['api.github.com'], placeholderPrefix: 'github_pat_' },
  'gitlab-token': { name: 'GITLAB_TOKEN', hosts: ['gitlab.com'], placeholderPrefix: 'glpat-' },
  'slack-token': { name: 'SLACK_TOKEN', hosts: ['slack.com'], placeholderPrefix: 'xoxb-' },
  'stripe-key': { name: 'STRIPE_API_KEY', hosts: ['api.stripe.com'], placeholderPrefix: 'sk_test_' },
  'openai-key': { name: 'OPENAI_API_KEY', hosts: ['api.openai.com'], placeholderPrefix: 'sk-' },
  'anthropic-key': { name: 'ANTHROPIC_API_KEY', hosts: ['api.anthropic.com'], placeholderPrefix: 'sk-ant-' },
  'huggingface-token': { name: 'HF_TOKEN', hosts: ['huggingface.co'], placeholderPrefix: 'hf_' },
  'npm-token': { name: 'NPM_TOKEN', hosts: ['registry.npmjs.org'], placeholderPrefix: 'npm_' },
  'pypi-token': { name: 'PYPI_TOKEN', hosts: ['upload.pypi.org'], placeholderPrefix: 'pypi-' },
  'sendgrid-key': { name: 'SENDGRID_API_KEY', hosts: ['api.sendgrid.com'] },
  'digitalocean-token': { name: 'DIGITALOCEAN_TOKEN', hosts: ['api.digitalocean.com'] },
}

export function foundSecretOf({ rule, text }: PossibleSecret): FoundSecret {
  const { name, hosts, placeholderPrefix = '' } = known[rule] ?? { name: '', hosts: [] }
  return { name, hosts, placeholderPrefix, value: text }
}

/** The message with the variable in place of its value. */
export function withVariable(message: string, secret: { value: string; name: string }): string {
  return message.replaceAll(secret.value, () => `$${secret.name}`)
}
