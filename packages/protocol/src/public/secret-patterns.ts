/** One kind of secret. `keywords`: every match contains one of them; searching for them is quicker. */
export type SecretRule = { id: string; keywords: readonly string[]; pattern: RegExp }

const rule = (id: string, keywords: string | readonly string[], pattern: RegExp): SecretRule => ({
  id,
  keywords: typeof keywords === 'string' ? [keywords] : keywords,
  pattern,
})

/**
 * Secrets that are recognizable by their form, after the default rules of gitleaks
 * (https://github.com/gitleaks/gitleaks, `config/gitleaks.toml`, MIT). Rules that guess from a variable's name are left
 * out: they find too much. Texts are bytes read as latin-1; with two groups the second one is the secret, otherwise the
 * whole match.
 */
export const secretRules: readonly SecretRule[] = [
  rule(
    'private-key',
    'PRIVATE KEY',
    /-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----[\s\S]{64,16384}?KEY(?: BLOCK)?-----/g,
  ),
  rule('aws-access-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g),
  rule('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], /\bgh[pousr]_[0-9a-zA-Z]{36,255}/g),
  rule('github-fine-grained-token', 'github_pat_', /\bgithub_pat_\w{82}/g),
  rule('gitlab-token', ['glpat-', 'gldt-', 'glrt-', 'glptt-'], /\bgl(?:pat|dt|rt|ptt)-[\w-]{20,64}/g),
  rule('slack-token', 'xox', /\bxox[abeoprs]-[0-9A-Za-z-]{10,250}/g),
  rule('slack-app-token', 'xapp-', /\bxapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+/g),
  rule('slack-webhook', 'hooks.slack.com', /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{43,56}/g),
  rule('stripe-key', ['sk_', 'rk_'], /\b(?:sk|rk)_(?:test|live|prod)_[a-zA-Z0-9]{10,99}/g),
  rule('google-api-key', 'AIza', /\bAIza[\w-]{35}/g),
  rule('google-oauth-secret', 'GOCSPX-', /\bGOCSPX-[\w-]{28}/g),
  rule('openai-key', 'T3BlbkFJ', /\bsk-[\w-]{16,100}T3BlbkFJ[\w-]{16,100}/g),
  rule('anthropic-key', 'sk-ant-', /\bsk-ant-(?:api03|admin01|oat01)-[\w-]{20,120}/g),
  rule('huggingface-token', 'hf_', /\bhf_[a-zA-Z]{34}\b/g),
  rule('npm-token', 'npm_', /\bnpm_[a-zA-Z0-9]{36}\b/g),
  rule('pypi-token', 'pypi-AgE', /\bpypi-AgE[\w-]{50,1000}/g),
  rule('sendgrid-key', 'SG.', /\bSG\.[\w-]{16,32}\.[\w-]{32,64}/g),
  rule('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], /\bdo[opr]_v1_[a-f0-9]{64}/g),
  rule('shopify-token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g),
  rule('vault-token', ['hvs.', 'hvb.'], /\bhv[sb]\.[\w-]{90,300}/g),
  rule('postman-key', 'PMAK-', /\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}/g),
  rule('telegram-bot-token', ':AA', /\b\d{8,10}:AA[\w-]{33}\b/g),
  rule('age-secret-key', 'AGE-SECRET-KEY-1', /\bAGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/g),
  rule('json-web-token', 'eyJ', /\beyJ[\w-]{17,2000}\.eyJ[\w-]{17,4000}\.[\w-]{10,1000}/g),
  rule(
    'password-in-url',
    '://',
    /([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/'"<>]{1,80}:)([^\s:@/'"<>${}]{6,200})(?=@[\w.-])/gi,
  ),
]

/** Tokens in an `.npmrc`; a reference to a variable is not a token. */
export const npmrcRule: SecretRule = {
  id: 'npmrc-token',
  keywords: ['_auth', '_password'],
  pattern: /(_(?:authToken|auth|password)\s*=\s*)("?[^$\s*"][^\s"]{3,})/g,
}

/** A text that looks like a secret: its rule, and the secret itself. */
export type PossibleSecret = { rule: string; text: string }

/** As many as a dialog can name. */
const maxFound = 10

/** What in a message or file looks like a secret, each text once. */
export function findPossibleSecrets(text: string): PossibleSecret[] {
  const found = new Map<string, PossibleSecret>()
  for (const { id, keywords, pattern } of secretRules) {
    if (!keywords.some((keyword) => text.includes(keyword))) continue
    for (const match of text.matchAll(pattern)) {
      const secret = match[2] ?? match[0]
      if (found.size < maxFound && !found.has(secret)) found.set(secret, { rule: id, text: secret })
    }
  }
  return [...found.values()]
}
