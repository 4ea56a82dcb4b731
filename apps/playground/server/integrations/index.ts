import { importTransformed } from '../support/import-transformed.ts'
import type { Integration } from './integration.ts'

/** Every integration, in the order of the page. One more is a file here and its entry. */
export const integrations: readonly Integration[] = [
  {
    id: 'express',
    title: 'Express',
    package: '@svc-audio/express-middleware',
    about: 'An Express 5 app starts, gets the text over HTTP, then gets its own audio back as an upload.',
    load: () => import('./express.ts'),
  },
  {
    id: 'nestjs',
    title: 'NestJS',
    package: '@svc-audio/nestjs',
    about: 'A Nest application starts with the module and a controller, and is used the same way.',
    // decorators are not JavaScript yet
    load: () => importTransformed(new URL('nestjs.ts', import.meta.url)),
  },
  {
    id: 'langchain',
    title: 'LangChain',
    package: '@svc-audio/langchain-tools',
    about: 'An agent calls the tool that speaks, reads the reference it gets, and calls the tool that transcribes.',
    load: () => import('./langchain.ts'),
  },
  {
    id: 'n8n',
    title: 'n8n',
    package: 'n8n-nodes-svc-audio',
    about: 'Two nodes of a workflow, run by n8n’s own engine: one speaks into a file, the next one reads it.',
    load: () => import('./n8n.ts'),
  },
  {
    id: 'vite',
    title: 'Vite',
    package: '@svc-audio/vite-plugin',
    about: 'A page with one import is built for real; the audio below is the asset that the build left.',
    load: () => import('./vite.ts'),
  },
]
