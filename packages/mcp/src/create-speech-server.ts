import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { createSpeechOperations, type CreatedOperations, type SpeechToolsOptions } from '@svc-audio/agent-tools'
import { callTool, describeTools } from './call-tool.ts'
import { AudioResources } from './audio-resources.ts'
import { packageVersion } from './version.ts'

export type { McpRunContext } from './request-scope.ts'

/** Options of {@link createSpeechServer}: those of the tools. `forRun` gets an {@link McpRunContext}. */
export type SpeechServerOptions = SpeechToolsOptions

/**
 * Makes an MCP server for one client. Connect it to a transport of the official SDK:
 * `await createSpeechServer(options).connect(new StdioServerTransport())`.
 *
 * @throws ConfigurationError naming the option
 */
export function createSpeechServer(options: SpeechServerOptions): Server {
  return serverOf(createSpeechOperations(options))
}

/** A server over operations that several sessions share, with their transcripts. */
export function serverOf(created: CreatedOperations): Server {
  const { names, allowUrls } = created.options
  const instructions =
    `Audio is named by references. ${names.speak} returns one; ${names.transcribe} takes one` +
    `${allowUrls ? ' or a public https URL' : ''}. A reference is also the resource svc-audio://audio/{reference}.`
  const server = new Server(
    { name: 'svc-audio', title: 'Speech and transcription', version: packageVersion() },
    { capabilities: { tools: {}, resources: { listChanged: true } }, instructions },
  )
  const resources = new AudioResources(created, () => {
    // The client may have closed.
    server.sendResourceListChanged().catch(() => {})
  })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: describeTools(created) }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => callTool(created, resources, params, extra))
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: resources.list() }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: resources.templates() }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, extra) => resources.read(params.uri, extra))
  return server
}
