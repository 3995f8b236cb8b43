<?php
// WordPress runs this file when an administrator deletes the plugin.
defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

if ( is_multisite() ) {
	foreach ( get_sites( array( 'fields' => 'ids', 'number' => 0 ) ) as $site_id ) {
		delete_blog_option( $site_id, 'analytics_box' );
	}
} else {
	delete_option( 'analytics_box' );
}
