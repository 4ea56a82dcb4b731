// A podcast feed of the posts, rendered on the server. The build has the audio, so length and size are known.
import { podcastFeed } from '@svc-audio/vite-plugin/publish'
import narrations from 'virtual:narrations'

const SITE = 'https://blog.example'

export const posts = narrations

export const feed = podcastFeed(narrations, {
  site: SITE,
  title: 'A blog to listen to',
  description: 'Each post as audio.',
  language: 'en',
})

// The texts, only where they are asked for.
export const texts = import.meta.glob('./posts/*.md', { query: '?narrate', import: 'text', eager: true })
