export { type LiveFacts, liveFactsSchema, type ServerFacts, serverFactsSchema } from './server-facts.ts'
