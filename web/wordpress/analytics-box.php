<?php
/**
 * Plugin Name: Analytics Box
 * Description: Adds the tracking script of your Analytics Box server to your website. No cookies, no other services.
 * Version: @version@
 * Requires at least: 6.0
 * Requires PHP: 7.4
 * Author: Analytics Box
 * License: MIT
 * License URI: https://opensource.org/license/mit
 * Text Domain: analytics-box
 */

namespace Analytics_Box;

defined( 'ABSPATH' ) || exit;

const OPTION = 'analytics_box';

// The options of the script that the settings page offers, and the attribute that turns each on.
const TRACKED = array(
	'outgoing_links' => 'data-track-outgoing-links',
	'downloads'      => 'data-track-downloads',
	'not_found'      => 'data-track-not-found',
	'search'         => 'data-track-search',
	'forms'          => 'data-track-forms',
	'errors'         => 'data-track-errors',
	'web_vitals'     => 'data-track-web-vitals',
);

/** Return the settings: what was saved, else what the downloaded file contains, else the defaults. */
function settings(): array {
	$file   = __DIR__ . '/website.json';
	$filled = is_readable( $file ) ? json_decode( (string) file_get_contents( $file ), true ) : null;
	$saved  = get_option( OPTION );
	return array_merge(
		array(
			'server'      => '',
			'website_id'  => '',
			'path'        => '',
			'track'       => array( 'outgoing_links', 'downloads', 'not_found', 'search' ),
			'skipped'     => array( 'administrator', 'editor', 'author' ),
			'woocommerce' => true,
		),
		is_array( $filled ) ? $filled : array(),
		is_array( $saved ) ? $saved : array()
	);
}

/** Return whether this page view is tracked: the plugin is set up, the page is public, and the user's role is not skipped. */
function is_tracked( array $settings ): bool {
	if ( '' === $settings['website_id'] || ( '' === $settings['server'] && '' === $settings['path'] ) ) {
		return false;
	}
	if ( is_admin() || is_preview() || is_customize_preview() ) {
		return false;
	}
	return ! is_user_logged_in() || ! array_intersect( $settings['skipped'], (array) wp_get_current_user()->roles );
}

/** Print the script tag. */
function print_script(): void {
	$settings = settings();
	if ( ! is_tracked( $settings ) ) {
		return;
	}
	$base       = '' !== $settings['path'] ? $settings['path'] : $settings['server'];
	$attributes = array(
		'src'            => $base . '/script.js',
		'data-client-id' => $settings['website_id'],
		'defer'          => true,
	);
	foreach ( $settings['track'] as $name ) {
		if ( isset( TRACKED[ $name ] ) ) {
			// WordPress names the search term `s`.
			$attributes[ TRACKED[ $name ] ] = 'search' === $name ? 's' : true;
		}
	}
	wp_print_script_tag( $attributes );
}
add_action( 'wp_head', __NAMESPACE__ . '\print_script' );

/** Print the purchase event of a WooCommerce order, once in two days even if the page is loaded again. */
function print_purchase( $order_id ): void {
	$settings = settings();
	$order    = $settings['woocommerce'] && is_tracked( $settings ) && $order_id ? wc_get_order( $order_id ) : null;
	if ( ! $order || $order->has_status( 'failed' ) || get_transient( 'analytics_box_order_' . $order->get_id() ) ) {
		return;
	}
	set_transient( 'analytics_box_order_' . $order->get_id(), 1, 2 * DAY_IN_SECONDS );
	$purchase = array(
		'amount'   => (float) $order->get_total(),
		'currency' => $order->get_currency(),
		'order_id' => (string) $order->get_order_number(),
	);
	wp_print_inline_script_tag(
		sprintf(
			'addEventListener("DOMContentLoaded", () => window.analyticsBox?.track("purchase", %s))',
			wp_json_encode( $purchase, JSON_HEX_TAG | JSON_HEX_AMP )
		)
	);
}
add_action( 'woocommerce_thankyou', __NAMESPACE__ . '\print_purchase' );

/** Return the settings of a submitted form. A value that cannot be used is left out, with a message. */
function sanitize( $given ): array {
	$given = is_array( $given ) ? $given : array();
	$clean = settings();
	foreach ( array( 'track', 'skipped' ) as $list ) {
		$clean[ $list ] = array_values( array_filter( array_map( 'sanitize_key', (array) ( $given[ $list ] ?? array() ) ) ) );
	}
	if ( function_exists( 'wc_get_order' ) ) {
		$clean['woocommerce'] = ! empty( $given['woocommerce'] );
	}

	$server = rtrim( trim( (string) ( $given['server'] ?? '' ) ), '/' );
	if ( '' === $server || preg_match( '#^https?://[a-z0-9.-]+(:\d+)?$#i', $server ) ) {
		$clean['server'] = $server;
	} else {
		add_settings_error( OPTION, 'server', __( 'Enter the address of your server, such as https://stats.example.com.', 'analytics-box' ) );
	}
	$website_id = trim( (string) ( $given['website_id'] ?? '' ) );
	if ( preg_match( '/^[A-Za-z0-9_-]{0,64}$/', $website_id ) ) {
		$clean['website_id'] = $website_id;
	} else {
		add_settings_error( OPTION, 'website_id', __( 'Copy the website ID from the snippet of your website.', 'analytics-box' ) );
	}
	$path = trim( (string) ( $given['path'] ?? '' ), " \t/" );
	if ( preg_match( '#^[A-Za-z0-9_/-]{0,100}$#', $path ) ) {
		$clean['path'] = '' === $path ? '' : '/' . $path;
	} else {
		add_settings_error( OPTION, 'path', __( 'Enter a path of your website, such as /stats.', 'analytics-box' ) );
	}
	return $clean;
}

add_action(
	'admin_init',
	function () {
		register_setting( OPTION, OPTION, array( 'sanitize_callback' => __NAMESPACE__ . '\sanitize' ) );
	}
);
add_action(
	'admin_menu',
	function () {
		add_options_page( 'Analytics Box', 'Analytics Box', 'manage_options', 'analytics-box', __NAMESPACE__ . '\print_settings' );
	}
);
add_filter(
	'plugin_action_links_' . plugin_basename( __FILE__ ),
	function ( $links ) {
		$address = admin_url( 'options-general.php?page=analytics-box' );
		array_unshift( $links, sprintf( '<a href="%s">%s</a>', esc_url( $address ), esc_html__( 'Settings', 'analytics-box' ) ) );
		return $links;
	}
);

/** Print a text field of the settings page. */
function print_field( string $name, string $label, string $value, string $help ): void {
	printf(
		'<tr><th scope="row"><label for="ab-%1$s">%2$s</label></th><td><input class="regular-text" id="ab-%1$s" name="%3$s[%1$s]" type="text" value="%4$s" aria-describedby="ab-%1$s-help"><p class="description" id="ab-%1$s-help">%5$s</p></td></tr>',
		esc_attr( $name ),
		esc_html( $label ),
		esc_attr( OPTION ),
		esc_attr( $value ),
		esc_html( $help )
	);
}

/** Print a group of check boxes of the settings page. */
function print_boxes( string $name, string $label, array $choices, array $checked ): void {
	printf( '<tr><th scope="row">%1$s</th><td><fieldset><legend class="screen-reader-text">%1$s</legend>', esc_html( $label ) );
	foreach ( $choices as $value => $text ) {
		printf(
			'<label><input name="%s[%s][]" type="checkbox" value="%s"%s> %s</label><br>',
			esc_attr( OPTION ),
			esc_attr( $name ),
			esc_attr( $value ),
			checked( in_array( $value, $checked, true ), true, false ),
			esc_html( $text )
		);
	}
	echo '</fieldset></td></tr>';
}

/** Print the settings page. */
function print_settings(): void {
	if ( ! current_user_can( 'manage_options' ) ) {
		return;
	}
	$settings = settings();
	echo '<div class="wrap"><h1>Analytics Box</h1><form action="options.php" method="post">';
	settings_fields( OPTION );
	echo '<table class="form-table" role="presentation">';
	print_field( 'server', __( 'Server', 'analytics-box' ), $settings['server'], __( 'For example https://stats.example.com', 'analytics-box' ) );
	print_field( 'website_id', __( 'Website ID', 'analytics-box' ), $settings['website_id'], __( 'The data-client-id of your snippet.', 'analytics-box' ) );
	print_field( 'path', __( 'Script path', 'analytics-box' ), $settings['path'], __( 'Leave blank unless a path of this website forwards to your server.', 'analytics-box' ) );
	print_boxes(
		'track',
		__( 'Track', 'analytics-box' ),
		array(
			'outgoing_links' => __( 'Outgoing links', 'analytics-box' ),
			'downloads'      => __( 'File downloads', 'analytics-box' ),
			'not_found'      => __( '404 pages', 'analytics-box' ),
			'search'         => __( 'Site search', 'analytics-box' ),
			'forms'          => __( 'Form submissions', 'analytics-box' ),
			'errors'         => __( 'Errors', 'analytics-box' ),
			'web_vitals'     => __( 'Performance', 'analytics-box' ),
		),
		$settings['track']
	);
	print_boxes( 'skipped', __( 'Do not track', 'analytics-box' ), wp_roles()->get_names(), $settings['skipped'] );
	if ( function_exists( 'wc_get_order' ) ) {
		printf(
			'<tr><th scope="row">WooCommerce</th><td><label><input name="%s[woocommerce]" type="checkbox" value="1"%s> %s</label></td></tr>',
			esc_attr( OPTION ),
			checked( $settings['woocommerce'], true, false ),
			esc_html__( 'Send a purchase event for each order', 'analytics-box' )
		);
	}
	echo '</table>';
	submit_button();
	echo '</form></div>';
}
