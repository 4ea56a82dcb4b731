// A podcast feed of the posts, rendered on the server. The build has the audio, so length and size are known.
import { podcastFeed } from '@svc-audio/vite-plugin/publish'
import narrations from 'virtual:narrations'

const SITE = 'https://blog.example'
const DATES = {
  'posts/harbour.md': new Date('2026-01-02'),
  'posts/market.md': new Date('2026-01-09'),
  'posts/walk.md': new Date('2026-01-16'),
}

export const posts = narrations

export const feed = podcastFeed(narrations, {
  site: SITE,
  title: 'A blog to listen to',
  description: 'Each post as audio.',
  language: 'en',
  author: 'The svc-audio authors',
  email: 'maintainers@svc-audio.example',
  image: '/cover.png',
  category: ['Leisure', 'Hobbies'],
  // The guid of each post is in its front matter.
  episode: ({ file }) => ({ date: DATES[file] }),
})

// The texts, only where they are asked for.
export const texts = import.meta.glob('./posts/*.md', { query: '?narrate', import: 'text', eager: true })
