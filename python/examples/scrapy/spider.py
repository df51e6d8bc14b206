"""Follows the links of a site and writes the text of its pages: scrapy runspider spider.py -a start=https://example.org/ -O pages.jsonl"""
import os
import sys

import scrapy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


class PagesSpider(scrapy.Spider):
    name = 'pages'
    custom_settings = {'DOWNLOADER_MIDDLEWARES': {'thresher_middleware.ThresherMiddleware': 100}}

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]

    def parse(self, response):
        page = response.meta.get('thresher')
        if page:
            yield {'url': response.url, 'title': page.get('title'), 'text': page['text'], 'quality': page.get('quality')}
        if isinstance(response, scrapy.http.HtmlResponse):
            yield from response.follow_all(css='a')
