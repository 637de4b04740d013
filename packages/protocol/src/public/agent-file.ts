/** File name extension of exported agents. */
export const agentFileEnding = 'threadbox-agent'
