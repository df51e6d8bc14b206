"""Scrapy: the record of each HTML page in response.meta['thresher'], by `thresher serve` with [endpoint] extract = on.

    DOWNLOADER_MIDDLEWARES = {'thresher_middleware.ThresherMiddleware': 100}      # before decompression, as seen from the engine
    THRESHER_EXTRACT = 'http://127.0.0.1:9464/extract'                            # the default

A page that thresher refuses has the reason in response.meta['thresher_refused'] instead. Scrapy's own retries handle a busy daemon (503).
"""
import json
import logging
from urllib.parse import quote

from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.defer import maybe_deferred_to_future

logger = logging.getLogger(__name__)


class ThresherMiddleware:
    def __init__(self, crawler):
        self.crawler = crawler
        self.extract = crawler.settings.get('THRESHER_EXTRACT', 'http://127.0.0.1:9464/extract')

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    async def process_response(self, request, response, spider=None):
        if request.meta.get('is_thresher_request') or not isinstance(response, HtmlResponse):
            return response
        answer = await self.ask(response)
        if answer.status == 200:
            request.meta['thresher'] = json.loads(answer.body)
        elif answer.status in (413, 415, 422):
            request.meta['thresher_refused'] = json.loads(answer.body)
        else:
            logger.error('%s: status %d for %s: %s', self.extract, answer.status, response.url, answer.text[:300])
        return response

    async def ask(self, response):
        question = Request(
            '%s?url=%s' % (self.extract, quote(response.url, safe='')), method='POST', body=response.body, dont_filter=True,
            headers={'Content-Type': response.headers.get('Content-Type', b'text/html'), 'Accept': 'application/json'},
            meta={'is_thresher_request': True, 'allow_offsite': True, 'dont_obey_robotstxt': True, 'dont_cache': True, 'download_slot': 'thresher'})
        engine = self.crawler.engine
        if hasattr(engine, 'download_async'):
            return await engine.download_async(question)
        return await maybe_deferred_to_future(engine.download(question))
