import { importTransformed } from '../support/import-transformed.ts'
import type { Integration } from './integration.ts'

/** Every integration, in the order of the page. To add one, add a file to this folder and list it here. */
export const integrations: readonly Integration[] = [
  {
    id: 'express',
    title: 'Express',
    package: '@svc-audio/express-middleware',
    about:
      'An Express 5 app speaks the text, transcribes its own audio as an upload, and receives the webhook of a task.',
    load: () => import('./express.ts'),
  },
  {
    id: 'nestjs',
    title: 'NestJS',
    package: '@svc-audio/nestjs',
    about: 'A Nest app speaks the text, transcribes its own audio, and receives the webhook of a task.',
    // Node does not run decorators.
    load: () => importTransformed(new URL('nestjs.ts', import.meta.url)),
  },
  {
    id: 'langchain',
    title: 'LangChain',
    package: '@svc-audio/langchain-tools',
    about: 'An agent calls speak, reads the returned reference, and calls transcribe with it.',
    load: () => import('./langchain.ts'),
  },
  {
    id: 'n8n',
    title: 'n8n',
    package: 'n8n-nodes-svc-audio',
    about: 'n8n’s engine runs a workflow of two nodes. One speaks into a file. The other transcribes the file.',
    load: () => import('./n8n.ts'),
  },
  {
    id: 'vite',
    title: 'Vite',
    package: '@svc-audio/vite-plugin',
    about: 'Vite builds a page with one narration import. The audio below is an asset of that build.',
    load: () => import('./vite.ts'),
  },
]
