export {
  type AudioObject,
  audioObject,
  type AudioObjectOptions,
  type MetaProperty,
  openGraphAudio,
  toJsonLd,
} from './metadata.ts'
export {
  type Episode,
  type PodcastChapters,
  podcastChapters,
  podcastFeed,
  type PodcastFeedOptions,
} from './podcast-feed.ts'
export { sitemapEntries, type SitemapEntry, type SitemapOptions, sitemapXml } from './sitemap.ts'
