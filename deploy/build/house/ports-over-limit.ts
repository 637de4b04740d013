/** Types of ports with more members than `portMembers`, as `file#name`, each with the reason. */
export const portsOverLimit: Readonly<Record<string, string>> = {
  'apps/host/src/memory/memory/paused-boots.ts#PausedBootsPorts':
    'joins the ports of pausing, waking, demoting and reclaiming memory, which each name their own',
  'apps/host/src/orders/orders/orders.ts#OrdersPorts':
    'joins the ports of the makers of orders, which each name their own',
  'apps/server/src/sandboxes/git-credentials/git-relay.ts#RelayDependencies':
    'what the relay is built from, with the two objects that it makes of that',
  'apps/server/src/sandboxes/services/services.usecases.ts#SharedServiceDependencies':
    'what the feature is built from, with what its files share in this process',
  'apps/server/src/sandboxes/state/sandbox-access.implementation.ts#SandboxAccessDependencies':
    'joins the ports of waking, which names its own',
  'apps/server/src/sandboxes/state/state.ts#StatePorts':
    'what the feature is built from, with what features beside it do for it',
  'apps/server/src/workflows/agents/agents.usecases.ts#AgentsDependencies':
    'joins the ports of starting a thread from an agent, which names its own',
  'apps/server/src/workflows/forks/forks.usecases.ts#ForksDependencies':
    'joins the ports of copying a conversation, which names its own',
  'apps/server/src/workflows/rewinds/rewinds.usecases.ts#RewindsDependencies':
    'joins the ports of a rewind preview, which names its own',
}
